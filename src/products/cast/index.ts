/** Casts: scripts that many voices speak. */
export { type CapableVoice, CastVoices } from './casting/index.ts';
export {
  CONTROL_NAMES,
  CONTROLS,
  type Direction,
  EMOTIONS,
  GENDERS,
  type Line,
  LONGEST_STRESSED,
  MOST_STRESSED,
  type Project,
} from './contract.ts';
export type { AskModel } from './direction/index.ts';
export { EMPHASIS_MARK } from './emphasis.ts';
export { BODY_BYTES, LIMITS } from './limits.ts';
export type { GivenProject, LineChange, Whole } from './projects.ts';
export { AUDIO_FORMATS, CAPTION_FORMATS, CEILING_DBTP, type RenderRequest } from './rendering/index.ts';
export { holdOf } from './rendering/request.ts';
export { type RenderView, renderView } from './renders.ts';
export { CastRoom, type CastRoomDeps } from './room.ts';
export { FORMATS } from './scripts/index.ts';
export { lineView, projectOf, projectView } from './view.ts';
