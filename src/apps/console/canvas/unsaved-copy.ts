import type { Flow } from './document.ts';

/** Unsaved changes stay in this browser, so that a closed page or a cut connection loses nothing. */
export interface UnsavedCopy {
  readonly version: number;
  readonly flow: Flow;
}

const nameOf = (agentId: string): string => `trunkline.flow.${agentId}`;

export function readUnsaved(agentId: string): UnsavedCopy | null {
  try {
    const stored = localStorage.getItem(nameOf(agentId));
    return stored === null ? null : (JSON.parse(stored) as UnsavedCopy);
  } catch {
    return null;
  }
}

/** Returns false where the browser has no room: the page then still has the flow. */
export function storeUnsaved(agentId: string, copy: UnsavedCopy): boolean {
  try {
    localStorage.setItem(nameOf(agentId), JSON.stringify(copy));
    return true;
  } catch {
    return false;
  }
}

export const removeUnsaved = (agentId: string): void => localStorage.removeItem(nameOf(agentId));
