// @requirement Knowledge: Scanned PDFs are read by tesseract, or fail with a reason.
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { canDraw } from '../../../../bench/compliance/pictures.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { ocrReader } from '../../../../src/main/ocr-reader.ts';
import { findFfmpeg } from '../../../../src/media/codec/index.ts';
import { PICTURE, pdf } from '../../../conversation/knowledge/files.ts';
import { compileProgram } from '../../../running-server.ts';
import { openKnowledge } from './server.ts';

beforeAll(compileProgram, 180_000);

const scans = ocrReader(null, findFfmpeg(null, new Models())?.path);
const able = scans !== null && canDraw();
if (!able && process.env.CI === 'true') throw new Error('absent: tesseract, pdftoppm or ffmpeg');

function scanOf(text: string) {
  const drawn = spawnSync('pdftoppm', ['-gray', '-r', '150', '-singlefile', '-'], { input: pdf([text]) });
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(drawn.stdout.subarray(0, 64).toString('latin1'))!;
  return { width: Number(head[1]), height: Number(head[2]), grey: drawn.stdout.subarray(head[0].length) };
}

const FERRY = 'The ferry to the island leaves from pier nine.';

describe.skipIf(!able)('a scanned page', () => {
  it('is found by what it says, beside pages of text', { timeout: 120_000 }, async () => {
    const knowledge = await openKnowledge({ wordsAlone: true, scans: scans! });
    const base = await knowledge.base();
    const bytes = pdf(['The museum opens at ten.', PICTURE, 'Dogs travel free.'], false, scanOf(FERRY));
    expect(await knowledge.file(base, 'harbour.pdf', bytes)).toMatchObject({
      status: 'indexed',
      error: null,
    });
    const [found] = await knowledge.query(base, 'where does the ferry leave');
    expect(found).toMatchObject({ text: expect.stringContaining(FERRY), page: 1 });
  });
});

it('says why scans are not read: no reader, or letters that it does not know', {
  timeout: 60_000,
}, async () => {
  const unread = { status: 'failed', error: expect.stringContaining('cannot recognize their script') };
  const without = await openKnowledge({ wordsAlone: true });
  expect(await without.file(await without.base(), 'scan.pdf', pdf([PICTURE]))).toMatchObject(unread);
  expect(await without.file(await without.base(), 'empty.pdf', pdf(['']))).toMatchObject({
    error: 'The document has no text.',
  });
  const none = await openKnowledge({ wordsAlone: true, scans: { of: () => null } });
  expect(await none.file(await none.base({ language: 'hi' }), 'scan.pdf', pdf([PICTURE]))).toMatchObject(
    unread,
  );
});
