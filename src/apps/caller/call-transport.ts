/** A protocol by which a caller reaches an agent. Sound is 8 kHz on both sides, 20 ms a frame. */
export interface CallTransport {
  /** Resolves when the other end hears. Rejects with `Refused` where it takes no call. */
  open(listener: CallTransportListener): Promise<void>;
  audio(frame: Int16Array): void;
  /** A message of the protocol's own; what has none throws. */
  control(message: Record<string, unknown>): void;
  /** A key of the telephone. */
  press(digits: string): void;
  close(): Promise<void>;
}

export type ControlEvent = { event: string } & Record<string, unknown>;

export interface TranscriptPiece {
  readonly role: string;
  readonly turn_id: number;
  readonly text: string;
  readonly final: boolean;
}

export interface CallTransportListener {
  onAudio(samples: Int16Array): void;
  onTranscript(words: TranscriptPiece): void;
  onControl(message: ControlEvent): void;
  /** The agent was interrupted: what waits to be played is thrown away. */
  onFlush(): void;
  /** The agent has said all of a speech: what comes next is another one. */
  onSpeechEnd(): void;
  onClose(code: number): void;
}

/** The server takes no further call. */
export class CallRefusedError extends Error {}
