import { Sealer } from '../../../src/foundation/access/index.ts';

export const WEBHOOK_SEALER = new Sealer(Buffer.alloc(32, 5), 'webhook secrets');
