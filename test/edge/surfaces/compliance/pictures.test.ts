// @requirement Compliance cases: PDF text and pictures are read in limited processes.
// @requirement Compliance cases: Each extraction records its cost and latency.
// @requirement Compliance cases: An extracted value has confidence, provenance and a class of personal data.
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { canDraw, photographed, scanned, scannedPdf } from '../../../../bench/compliance/pictures.ts';
import { Random } from '../../../../bench/compliance/random.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { pictureReader } from '../../../../src/main/compliance.ts';
import { findFfmpeg } from '../../../../src/media/codec/index.ts';
import { skewOf } from '../../../../src/telephony/compliance/ocr/skew.ts';
import { facts, paper } from './sample-documents.ts';
import { type Json, openTestbed } from './server.ts';

const ffmpeg = findFfmpeg(null, new Models())?.path;
const pictures = pictureReader(null, ffmpeg);
const able = pictures !== null && canDraw();
if (!able && process.env.CI === 'true') throw new Error('absent: tesseract, pdftoppm or ffmpeg');

const bill = paper('telephone_bill', 'US', facts(), 1);

function hugePng(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows = chunk('IDAT', deflateSync(Buffer.alloc(1000)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    rows,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

// @requirement Compliance cases: Scans are straightened before they are read.
it('finds how far a page is turned', () => {
  const [width, height] = [600, 800];
  for (const degrees of [-7, -2.5, 0, 1.3, 6]) {
    const grey = new Uint8Array(width * height).fill(255);
    const slope = Math.tan((-degrees * Math.PI) / 180);
    for (let line = 120; line < 700; line += 24) {
      for (let x = 100; x < 500; x += 1) {
        const y = Math.round(line + (x - 300) * slope);
        for (let thick = 0; thick < 6; thick += 1) grey[(y + thick) * width + x] = 20;
      }
    }
    expect(Math.abs(skewOf({ width, height, grey }) - degrees)).toBeLessThanOrEqual(0.3);
  }
});

describe.skipIf(!able)('pictures of papers', () => {
  it.each([
    ['a scan', 'image/png', () => scanned(ffmpeg as string, bill.pdf, new Random(4))],
    ['a scanner’s PDF', 'application/pdf', () => scannedPdf(ffmpeg as string, bill.pdf, new Random(5))],
    ['a photograph', 'image/jpeg', () => photographed(ffmpeg as string, bill.pdf, new Random(6))],
  ])(
    'are read by letters, where they stand: %s',
    async (_what, type, make) => {
      const testbed = await openTestbed({ pictures });
      const { id } = await testbed.open();
      await testbed.upload(id, 'telephone_bill', make(), { name: 'bill' });
      const read = await testbed.settled(id);
      expect(read.uploads[0].mime_type).toBe(type);
      const [extraction] = read.extractions;
      expect(extraction).toMatchObject({ status: 'succeeded', cost_micros: 400 });
      expect(extraction.model_version).toMatch(/^tesseract-\d/);
      const date = extraction.fields.find(({ field }: Json) => field === 'bill_date');
      expect(date).toMatchObject({ value: bill.truth.bill_date, provenance: { source: 'ocr', page: 1 } });
      const [left, top, right, bottom] = date.provenance.box;
      expect([left < right, top < bottom, left > 0.3, right < 1]).toEqual([true, true, true, true]);
    },
    60_000,
  );

  // @requirement Compliance cases: Polyglots, archive bombs, deep nesting, scripts and files of 1 GB are refused.
  it('that unpack to far more than they hold are unreadable', async () => {
    const testbed = await openTestbed({ pictures });
    const { id } = await testbed.open();
    await testbed.upload(id, 'telephone_bill', hugePng(60_000));
    const read = await testbed.settled(id);
    expect(read.extractions[0]).toMatchObject({ status: 'failed', failure_reason: 'unreadable' });
  }, 60_000);
});

it('are for a person to read where the server has no tesseract', async () => {
  const testbed = await openTestbed({ pictures: null });
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', hugePng(8));
  const read = await testbed.settled(id);
  expect(read.missing.map(({ code }: Json) => code)).toContain('ocr_unavailable');
  const extraction_id = read.extractions[0].id;
  for (const [field, value] of Object.entries(bill.truth)) {
    const given = { extraction_id, field, value, reason: 'Read by a person.' };
    expect((await testbed.send('POST', `/${id}/corrections`, given)).status).toBe(200);
  }
  const left = (await testbed.read(id)).missing.map(
    ({ code, document_request_id }: Json) => `${code} ${document_request_id}`,
  );
  expect(left.filter((each: string) => each.endsWith('telephone_bill'))).toEqual([]);
});
