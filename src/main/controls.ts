import { hearControls } from '../edge/surfaces/hear/index.ts';
import { omniControls } from '../edge/surfaces/omni/index.ts';
import { speakControls } from '../edge/surfaces/speak/index.ts';

export const CONTROLS = { hear: hearControls, speak: speakControls, omni: omniControls };
