/** A protocol by which a caller reaches an agent. The audio is 8 kHz in both directions, in frames of 20 ms. */
export interface CallTransport {
  /**
   * Resolves when the agent's side receives audio. Rejects with CallRefusedError where the server refuses the call.
   */
  open(listener: CallTransportListener): Promise<void>;
  audio(frame: Int16Array): void;
  control(message: Record<string, unknown>): void;
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
  onFlush(): void;
  /** The agent has finished an utterance; later audio belongs to the next one. */
  onSpeechEnd(): void;
  onClose(code: number): void;
}

export class CallRefusedError extends Error {}
