export {
  EVENT_TYPES,
  EVENTS,
  type EventData,
  type EventType,
  isEventType,
  type ProductEvent,
} from './catalogue.ts';
export { AMD_ANSWERS, AmdAnswer, AmdCallRecord } from './data/amd.ts';
export { JobSummary, jobSummary } from './data/hear.ts';
export { MessageHandOverRecord, MessageRecord } from './data/messages.ts';
export { CallExtraction, CallSummary } from './data/omni.ts';
export { RecapRecord } from './data/recap.ts';
export { CreatedBy, TelephonyCallRecord, TelephonyVoicemailRecord } from './data/telephony.ts';
export {
  interactionHead,
  TraceInteraction,
  TraceResult,
  TraceUnjudged,
  traceEvidence,
} from './data/trace.ts';
export { type EventDefinition, envelopeOf } from './define-event.ts';
export {
  type DocumentedEvent,
  documentedEvent,
  documentedEvents,
  type EventEnvelope,
} from './documented-events.ts';
export { DomainEvent, DomainEvents, type DomainSubscriber } from './domain-events.ts';
