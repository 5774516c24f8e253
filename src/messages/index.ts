export {
  FAILURES,
  type FailureCode,
  type MessageFilter,
  type MessageView,
  type NewMessage,
  type NumberBook,
  STATUSES,
} from './contract.ts';
export { MessageStore } from './message-store.ts';
export { Messages, type MessagesOptions } from './messages.ts';
export { messagesOfPersons } from './personal.ts';
export { messageSweep } from './retention.ts';
export { viewOf } from './view.ts';
