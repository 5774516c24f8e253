/** The protocol between this process and the one that starts programs for it. */

export interface StartRequest {
  readonly kind: 'start';
  readonly id: number;
  readonly command: string;
  readonly args: readonly string[];
  /** A path to read from; null: the first of the connections. */
  readonly input: string | null;
  /** Paths that the program reads as its descriptors 3, 4… */
  readonly files?: readonly string[];
}

export type ToStarter = StartRequest | { readonly kind: 'kill'; readonly id: number };

export type FromStarter =
  | { readonly kind: 'ready' }
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | {
      readonly kind: 'ended';
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };

/** Connections that a program takes: its output, its messages, and its input unless that is a file. */
export const connectionsOf = (input: string | null): number => (input === null ? 3 : 2);
