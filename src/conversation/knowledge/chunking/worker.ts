/**
 * This process splits one document into chunks, because the work grows with the document and would block the
 * server.
 */
import { runParserWorker } from '../../../language/documents/contract.ts';
import { chunkingResponse } from './chunking-response.ts';

await runParserWorker(chunkingResponse);
