// @requirement Omni: Control frames hold up to 256 kB, and a refused `configure` ends the call.
import { describe, expect, it } from 'vitest';
import { CallSettings, type SettingsChange } from '../../../src/conversation/calls/call-settings.ts';
import { ToolDispatcher } from '../../../src/conversation/session/index.ts';
import type { TenantScope } from '../../../src/foundation/access/index.ts';
import type { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import type { EngineVoice } from '../../../src/media/engine/index.ts';
import type { CallVoice } from '../../../src/speech/voices/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const voice = (id: string, language = 'en'): CallVoice => ({
  id,
  language,
  tier: 'natural',
  engine: { id } as unknown as EngineVoice,
});

function settings() {
  const looked = new Map<string, () => void>();
  const voices = {
    find: (_scope: TenantScope, name: string) =>
      new Promise<CallVoice | null>((resolve, reject) =>
        looked.set(name, () => (name === 'broken' ? reject(new Error('away')) : resolve(voice(name)))),
      ),
    defaultFor: async (_scope: TenantScope, language: string) => voice(`default-${language}`, language),
  };
  const gate = { check: () => undefined } as unknown as UrlGate;
  const dispatcher = new ToolDispatcher({
    clock: new ManualClock(),
    newCallId: () => 'c',
    send: () => undefined,
  });
  const call = new CallSettings(
    { scope: scopeFor('org_a'), voices, gate, sign: async () => ({}), onKnowledgeFault: () => undefined },
    dispatcher,
  );
  const taken: SettingsChange[] = [];
  const change = (message: object) =>
    call.change({ type: 'configure', ...message }, (one) => taken.push(one) > 0);
  return { call, change, taken, looked, dispatcher };
}

describe('what a call is configured with', () => {
  it('is changed by one frame after the other, each of what the one before has left', async () => {
    const { call, change, taken, looked } = settings();
    await call.begin({});
    const both = [change({ voice_id: 'anna' }), change({ persona: 'You are Anna.' })];
    await expect.poll(() => looked.has('anna')).toBe(true);
    looked.get('anna')?.();
    const acknowledged = await Promise.all(both);
    expect(acknowledged.map((one) => one?.voice.id)).toEqual(['anna', 'anna']);
    expect(taken.map(({ voice: taking }) => (taking as { id?: string } | null)?.id ?? null)).toEqual([
      'anna',
      null,
    ]);
    expect(call.current?.voice.id).toBe('anna');
  });

  it('stays as it was by a change that fails, and can be changed by the next', async () => {
    const { call, change, looked } = settings();
    await call.begin({ language: 'de' });
    const failing = change({ voice_id: 'broken' });
    const next = change({ language: 'es' });
    await expect.poll(() => looked.has('broken')).toBe(true);
    looked.get('broken')?.();
    await expect(failing).rejects.toThrow('away');
    expect(await next).toMatchObject({
      language: 'es',
      languageFallback: false,
      voice: { id: 'default-es' },
    });
  });

  it('keeps tools, knowledge and fallback that a change does not name', async () => {
    const { call, change, dispatcher } = settings();
    await call.begin({ language: 'de', tools: [{ name: 'look' }], kb_endpoint: 'https://kb.example' });
    const changed = await change({ persona: 'You are Maya.' });
    expect(changed).toMatchObject({ languageFallback: true, tools: [{ name: 'look' }] });
    expect(changed?.knowledge).not.toBeNull();
    expect([...dispatcher.tools.keys()]).toEqual(['look']);
  });

  it('is not changed once the session is over', async () => {
    const { call } = settings();
    await call.begin({});
    expect(await call.change({ type: 'configure', language: 'es' }, () => false)).toBeNull();
    expect(call.current?.language).toBe('en');
  });
});
