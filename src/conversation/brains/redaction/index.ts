export { withRedactedSecrets } from './redacting-brain.ts';
