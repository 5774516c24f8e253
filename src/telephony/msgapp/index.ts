export { type CallEndReason, CallRecords } from './calls.ts';
export { CallDesk, type DeskDeps } from './desk.ts';
export { HangUps } from './hang-ups.ts';
export { LostCalls } from './lost-calls.ts';
export { Numbers, type Registration, type Secrets } from './numbers.ts';
export {
  PERMISSION_RULES,
  type Permission,
  type PermissionReply,
  type PermissionRules,
  Permissions,
} from './permissions.ts';
export { callsByMessagingOfPersons } from './personal.ts';
export { Provider, ProviderFault } from './provider.ts';
export { eventsOf, isSigned, numbersOf, type ProviderEvent } from './webhook.ts';
