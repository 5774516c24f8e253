import { walkContract } from './walk.ts';
import { World } from './world.ts';

walkContract(await World.open());
