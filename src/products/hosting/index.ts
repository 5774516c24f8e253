export { Installations, type Revoke } from './installations.ts';
export { isSigned } from './signature.ts';
