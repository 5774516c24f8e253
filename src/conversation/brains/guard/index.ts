export { withoutSecrets } from './private-brain.ts';
