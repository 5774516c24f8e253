/** The worker thread checks a flow whose size would hold the event loop. */
import { checkFlow, type Problem, type Surroundings } from '../flows/index.ts';

export interface FlowCheck {
  readonly flow: unknown;
  readonly surroundings: Surroundings;
}

export const problemsOf = ({ flow, surroundings }: FlowCheck): readonly Problem[] =>
  checkFlow(flow, surroundings).problems;
