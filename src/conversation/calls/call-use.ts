import type { Principal } from '../../foundation/access/contract.ts';

export type CallUse = 'omni.call' | 'agents.call';

/** A call from a console page tests an agent in its builder, which has its own meter. */
export const callUseOf = ({ isConsole = false }: Principal): CallUse =>
  isConsole ? 'agents.call' : 'omni.call';
