import { walkContract } from './walk-contract.ts';
import { World } from './world.ts';

walkContract(await World.open());
