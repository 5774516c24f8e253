import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/conversation/agents/index.ts';
import { applyProfile } from '../../../src/conversation/calls/apply-profile.ts';

const fields = {
  language: 'en',
  persona: 'You are Ada.',
  greeting: '',
  consent_line: '',
  vocabulary: [],
  voice_id: 'emma_en_us',
  voice_under_load: 'joe_en_us',
  voice_instruct: null,
  meta: {},
};
const profile = { agentId: 'agent_1', version: 1, fields } as unknown as Profile;

describe('the voice under load of an agent', () => {
  it('may take the place of the agent’s own voice', () => {
    const own = { voice_id: 'emma_en_us', voice_under_load: 'joe_en_us' };
    expect(applyProfile({}, profile)).toMatchObject(own);
    expect(applyProfile({ voice_id: 'emma_en_us' }, profile)).toMatchObject(own);
    expect(applyProfile({ voice_under_load: null }, profile)).toMatchObject({
      ...own,
      voice_under_load: null,
    });
  });

  it('takes the place of no voice that a configure names, and speaks no other language', () => {
    expect(applyProfile({ voice_id: 'vc_mine' }, profile)).not.toHaveProperty('voice_under_load');
    expect(applyProfile({ language: 'es' }, profile)).not.toHaveProperty('voice_under_load');
    const both = { voice_id: 'vc_mine', voice_under_load: 'joe_en_us' };
    expect(applyProfile(both, profile)).toMatchObject(both);
  });
});
