export { createResponder, type ResponderOptions } from './responder.ts';
