export { CallTokens } from './call-tokens.ts';
export { CALL_EVENTS, type CallEvent, type Delivery, type Reception } from './contract.ts';
export { ImportedCalls } from './imported-calls.ts';
export { Importing, type ImportingOptions } from './importing.ts';
export { importedCallsPersonalData } from './personal-data.ts';
export { isProvider, PROVIDERS, type Provider } from './providers/index.ts';
export { Receiver, type ReceiverOptions } from './receiver.ts';
export { importSweep } from './retention.ts';
