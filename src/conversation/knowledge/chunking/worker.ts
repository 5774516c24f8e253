/**
 * This process splits one document into passages, because the work grows with the document and would block the
 * server.
 */
import { runParserWorker } from '../../../language/documents/contract.ts';
import { passageParts } from './passage-parts.ts';

await runParserWorker(passageParts);
