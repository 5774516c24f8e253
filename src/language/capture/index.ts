export { agreementIn } from './agreement.ts';
export type { Character } from './characters.ts';
export { isIban, passesLuhn } from './checks.ts';
export * from './contract.ts';
export { dayIn } from './dates.ts';
export {
  begin,
  type CaptureInput,
  type CaptureRequest,
  type CaptureResult,
  type CaptureState,
  type CaptureStep,
} from './dialogue.ts';
export { exampleOf } from './expected.ts';
export { READERS } from './readers.ts';
export { step } from './steps.ts';
