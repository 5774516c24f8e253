export {
  type CallPermission,
  CallPermissions,
  PERMISSION_RULES,
  type PermissionReply,
  type PermissionRules,
} from './call-permissions.ts';
export { HangUpQueue } from './hang-up-queue.ts';
export { LostMsgappCalls } from './lost-calls.ts';
export { type CallEndReason, MsgappCallStore } from './msgapp-call-store.ts';
export { MsgappCalls, type MsgappCallsDeps } from './msgapp-calls.ts';
export { MsgappNumbers, type MsgappSecrets, type NumberRegistration } from './numbers.ts';
export { msgappPersonalData } from './personal-data.ts';
export { MsgappProvider, ProviderFault } from './provider.ts';
export { eventsOf, isSigned, numbersOf, type ProviderEvent } from './webhook.ts';
