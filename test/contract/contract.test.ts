// @requirement Compliance cases: Errors are problem+json with the `error` envelope.
// @requirement API contract: Every response has the described content, headers and status.
// @requirement Platform: `/llms.txt` and the programs of the guides work.
// @requirement Speak: Designed voices are listed and deleted.
// @requirement Errors: Every refusal has a described code.
// @requirement Limits: A credential of more than 512 characters is refused.
import { walkContract } from './walk-contract.ts';
import { World } from './world.ts';

walkContract(await World.open());
