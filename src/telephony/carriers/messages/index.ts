export {
  type IncomingMessage,
  type MessageCarrier,
  MessageCarrierError,
  type MessageFailure,
  type MessageListener,
  type MessageOrder,
  type MessageReport,
} from './contract.ts';
export { LoopbackMessages } from './loopback.ts';
