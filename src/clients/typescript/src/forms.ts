import { formDataBodySerializer } from './rest/client/index.js';

/**
 * For operations that take JSON or a form: `rest.postV1TranscriptionJobs({ body: { file }, ...asForm } as never)` sends the
 * form. Those that take a form alone need no word of it.
 */
export const asForm = {
  ...formDataBodySerializer,
  // The boundary is for fetch to say.
  headers: { 'Content-Type': null },
};
