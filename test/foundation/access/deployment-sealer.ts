import { Sealer } from '../../../src/foundation/access/index.ts';

export const DEPLOYMENT_SEALER = new Sealer(Buffer.alloc(32, 7), 'deployment secrets');
