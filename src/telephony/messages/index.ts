export { AgentMessages } from './agent-messages.ts';
export { MeteredAnswerAdmission, type MeteredAnswersOptions } from './answer-admission.ts';
export {
  type AdmittedAnswer,
  type AnswerAdmission,
  type Answerer,
  type ConversationMessage,
  FAILURES,
  type FailureCode,
  type HandOverView,
  type MessageBilling,
  type MessageFilter,
  type MessageView,
  type NewMessage,
  type NumberDirectory,
  STATUSES,
  type TextReply,
} from './contract.ts';
export { HandOvers, handOverView } from './hand-overs.ts';
export { MeteredMessageBilling, type MeteredTextsOptions } from './message-billing.ts';
export { MessageStore } from './message-store.ts';
export { Messages, type MessagesOptions } from './messages.ts';
export { handOversPersonalData, messagesPersonalData } from './personal-data.ts';
export { messageSweep } from './retention.ts';
export { TextAgent, type TextAgentDeps } from './text-agent.ts';
export { viewOf } from './view.ts';
