import Value from 'typebox/value';
import { expect, it } from 'vitest';
import { DubSubmission } from '../../../src/edge/surfaces/dub/schemas.ts';
import { JobSubmission } from '../../../src/edge/surfaces/hear/job-schemas.ts';
import { NewCrawl, NewDocument } from '../../../src/edge/surfaces/knowledge/schemas.ts';
import { MAX_URL_CHARACTERS } from '../../../src/foundation/platform/url-gate/index.ts';
import { urlIn } from '../../../src/products/imports/providers/fields.ts';

const signed = (length: number): string => `https://a.example.com/r?sig=`.padEnd(length, 'x');

it.each([MAX_URL_CHARACTERS, MAX_URL_CHARACTERS + 1])(
  'what names something to fetch has the gate’s bound: %s characters',
  (length) => {
    const url = signed(length);
    const takes = length <= MAX_URL_CHARACTERS;
    expect(Value.Check(NewDocument, { url })).toBe(takes);
    expect(Value.Check(NewCrawl, { url })).toBe(takes);
    expect(Value.Check(DubSubmission.properties.audio_url, url)).toBe(takes);
    expect(Value.Check(JobSubmission.properties.audio_url, url)).toBe(takes);
    const read = () => urlIn({ recording_url: url }, 'recording_url');
    if (takes) expect(read()).toBe(url);
    else expect(read).toThrow('8192 characters');
  },
);
