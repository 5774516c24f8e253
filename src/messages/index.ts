export { AgentMessages } from './agent-messages.ts';
export {
  type Answerer,
  FAILURES,
  type FailureCode,
  type MessageFilter,
  type MessageView,
  type NewMessage,
  type NumberBook,
  STATUSES,
  type Written,
} from './contract.ts';
export { MessageStore } from './message-store.ts';
export { Messages, type MessagesOptions } from './messages.ts';
export { messagesOfPersons } from './personal.ts';
export { messageSweep } from './retention.ts';
export { TextAgent, type TextAgentDeps } from './text-agent.ts';
export { viewOf } from './view.ts';
