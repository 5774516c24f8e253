// @requirement Knowledge: An embedding model is opened where documents have its vectors when the server starts, and otherwise by its first text, which no call waits for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VectorRenewal } from '../../../../src/conversation/knowledge/vector-renewal.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { KnowledgeEmbedding } from '../../../../src/main/knowledge-embedding.ts';
import { Engine } from '../../../../src/media/engine/index.ts';
import { AddedModels } from '../../../../src/speech/added-models/index.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { absent, meaning, models, openKnowledge } from './server.ts';

it.skipIf(absent !== '')(
  'opens the model of the documents alone when the server starts',
  async () => {
    const knowledge = await openKnowledge();
    const { signal } = new AbortController();
    const engine = new Engine({ models: meaning(), device: 'cpu' });
    try {
      const embedding = new KnowledgeEmbedding(engine, models, new AddedModels(knowledge.folder), (error) => {
        throw error;
      });
      const clock = new ManualClock();
      const renewal = new VectorRenewal({
        storage: knowledge.storage,
        clock,
        embedding,
        background: new BackgroundTasks({ clock }),
      });
      const opened = () =>
        engine
          .stats()
          .models.map(({ name }) => name)
          .filter((name) => /^(minilm|e5)/.test(name));

      expect(await renewal.run(signal)).toBe(true);
      expect(opened()).toEqual([]);

      await knowledge.text(await knowledge.base(), 'a', 'The desk opens at nine.');
      expect(await renewal.run(signal)).toBe(true);
      expect(opened()).toEqual(['minilm-l6/model.onnx']);
      const vector = await embedding.question('When do you open?', embedding.modelFor('en'), signal);
      expect(vector).toHaveLength(384);
    } finally {
      engine.destroy();
    }
  },
  60_000,
);

it.skipIf(absent !== '')(
  'opens a model with the first question of a call, which it does not hold up',
  async () => {
    const knowledge = await openKnowledge();
    const { signal } = new AbortController();
    const engine = new Engine({ models: meaning(), device: 'cpu' });
    try {
      await engine.prepared();
      const embedding = new KnowledgeEmbedding(engine, models, new AddedModels(knowledge.folder), (error) => {
        throw error;
      });
      const ask = () => embedding.question('Wann öffnen Sie?', embedding.modelFor('de'), signal);
      await Promise.all([ask(), ask(), ask()]);
      await expect.poll(ask).toHaveLength(384);
    } finally {
      engine.destroy();
    }
  },
  60_000,
);

it.skipIf(absent !== '')(
  'reports a model that cannot be opened once, and searches by words',
  async () => {
    const knowledge = await openKnowledge();
    const { signal } = new AbortController();
    const damaged = join(knowledge.folder, 'model.onnx');
    writeFileSync(damaged, 'no graph');
    const engine = new Engine({ models: { ...meaning(), 'minilm-l6/model.onnx': damaged }, device: 'cpu' });
    const faults: Error[] = [];
    try {
      const embedding = new KnowledgeEmbedding(engine, models, new AddedModels(knowledge.folder), (error) =>
        faults.push(error),
      );
      const english = embedding.modelFor('en');
      expect(await embedding.open(english)).toBe(false);
      expect(await embedding.question('When do you open?', english, signal)).toBeNull();
      expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('model')]);
    } finally {
      engine.destroy();
    }
  },
  60_000,
);
