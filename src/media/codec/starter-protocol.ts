export interface StartRequest {
  readonly kind: 'start';
  readonly id: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly input: string | null;
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

export const connectionsOf = (input: string | null): number => (input === null ? 3 : 2);
