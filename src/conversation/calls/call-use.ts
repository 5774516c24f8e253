import type { Principal } from '../../foundation/access/contract.ts';

export type CallUse = 'omni.call' | 'agents.call';

/** A call from a page of the console tries an agent out in its builder, which has a meter of its own. */
export const callUseOf = ({ isConsole = false }: Principal): CallUse =>
  isConsole ? 'agents.call' : 'omni.call';
