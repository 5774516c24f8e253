/** What requests may say, by surface, for the reference pack. */
import { hearControls } from '../surfaces/hear/index.ts';
import { omniControls } from '../surfaces/omni/index.ts';
import { speakControls } from '../surfaces/speak/index.ts';

export const CONTROLS = { hear: hearControls, speak: speakControls, omni: omniControls };
