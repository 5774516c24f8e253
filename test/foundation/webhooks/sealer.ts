import { Sealer } from '../../../src/foundation/access/index.ts';

/** Under which outboxes of tests seal their signing secrets. */
export const WEBHOOK_SEALER = new Sealer(Buffer.alloc(32, 5), 'webhook secrets');
