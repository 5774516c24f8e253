export { CastService, type CastServiceDeps } from './cast-service.ts';
export { type CapableVoice, CastVoices } from './casting/index.ts';
export {
  type CastScript,
  CONTROL_NAMES,
  CONTROLS,
  EMOTIONS,
  GENDERS,
  type LineDirection,
  LONGEST_STRESSED,
  MOST_STRESSED,
  type ScriptedLine,
} from './contract.ts';
export type { AskModel } from './direction/index.ts';
export { EMPHASIS_MARK } from './emphasis.ts';
export { BODY_BYTES, LIMITS } from './limits.ts';
export type { GivenProject, LineChange, ProjectWithLines } from './projects.ts';
export { AUDIO_FORMATS, CAPTION_FORMATS, CEILING_DBTP, type RenderRequest } from './rendering/index.ts';
export { renderReservationId } from './rendering/request.ts';
export { renderView } from './renders.ts';
export { FORMATS } from './scripts/index.ts';
export { lineView, projectOf, projectView } from './view.ts';
