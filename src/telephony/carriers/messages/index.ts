export {
  type IncomingMessage,
  type MessageCarrier,
  type MessageFailure,
  MessageFault,
  type MessageListener,
  type MessageOrder,
  type MessageReport,
} from './door.ts';
export { LoopbackMessages } from './loopback.ts';
