/** The program that cuts one document into passages: nothing that takes as long as the document is long is done in the server. */
import { runParserWorker } from '../../../language/documents/contract.ts';
import { passageParts } from './passage-parts.ts';

await runParserWorker(passageParts);
