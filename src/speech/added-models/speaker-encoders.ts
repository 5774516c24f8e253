import type { AddedEncoder, EncoderSource } from '../../media/engine/index.ts';
import type { AddedModels } from './lock.ts';

/** The encoder that the operator selected. One that cannot be used is not tried again until the models change. */
export class SpeakerEncoders implements EncoderSource {
  readonly #models: AddedModels;
  readonly #onError: (error: unknown, name: string) => void;
  #failed: { readonly version: string; readonly id: string } | null = null;

  constructor(models: AddedModels, onError: (error: unknown, name: string) => void) {
    this.#models = models;
    this.#onError = onError;
  }

  choose(): AddedEncoder | null {
    const name = this.#models.chosenEncoder;
    const model = name === undefined ? undefined : this.#models.find(name);
    if (model?.kind !== 'speaker-encoder' || !this.#models.status(model).ready) return null;
    const { version } = this.#models;
    if (this.#failed?.id === model.folder && this.#failed.version === version) return null;
    return { id: model.folder, folder: this.#models.pathOf(model), bounds: model.measured.bounds };
  }

  failed({ id }: AddedEncoder, error: unknown): void {
    const { version } = this.#models;
    if (this.#failed?.id === id && this.#failed.version === version) return;
    this.#failed = { version, id };
    this.#onError(error, id);
  }
}
