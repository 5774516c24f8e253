export { AgentMessages } from './agent-messages.ts';
export { MeteredAnswers, type MeteredAnswersOptions } from './answer-desk.ts';
export {
  type AdmittedAnswer,
  type Answer,
  type AnswerDesk,
  type Answerer,
  FAILURES,
  type FailureCode,
  type HandOverView,
  type MessageFilter,
  type MessageView,
  type NewMessage,
  type NumberBook,
  STATUSES,
  type TextDesk,
  type Written,
} from './contract.ts';
export { HandOvers, handOverView } from './hand-overs.ts';
export { MessageStore } from './message-store.ts';
export { Messages, type MessagesOptions } from './messages.ts';
export { handOversOfPersons, messagesOfPersons } from './personal.ts';
export { messageSweep } from './retention.ts';
export { TextAgent, type TextAgentDeps } from './text-agent.ts';
export { MeteredTexts, type MeteredTextsOptions } from './text-desk.ts';
export { viewOf } from './view.ts';
