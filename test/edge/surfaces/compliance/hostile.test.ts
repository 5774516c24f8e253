// @requirement Compliance cases: Each step says what is missing and why.
// @requirement Compliance cases: Uploads are identified by content, size and sha256.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pdfOf } from '../../../../bench/compliance/pdf.ts';
import { bill } from './sample-documents.ts';
import { type Json, openTestbed } from './server.ts';

const text = [[{ text: 'Bill Date: 2026-11-01', x: 60, y: 90, size: 11 }]];
const PNG_HEAD = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const PNG_END = Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1');
const JPEG = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1');
const ZIP_END = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);

// @requirement Compliance cases: Polyglots, archive bombs, deep nesting, scripts and files of 1 GB are refused.
describe('a file that is not what it is called', () => {
  it.each([
    ['a program', Buffer.concat([Buffer.from('MZ'), randomBytes(500)])],
    ['a page of the web', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['nothing', Buffer.alloc(0)],
    ['a PDF behind other bytes', Buffer.concat([Buffer.from('GIF89a'), pdfOf(text)])],
    ['a PDF that is an archive too', Buffer.concat([pdfOf(text), ZIP_END])],
    [
      'a PDF that is a page of the web too',
      Buffer.concat([Buffer.from('%PDF-1.7\n<script>1</script>\n'), pdfOf(text)]),
    ],
    ['a PDF without an end', pdfOf(text).subarray(0, 400)],
    ['a picture with more behind it', Buffer.concat([PNG_HEAD, PNG_END, Buffer.from('and more')])],
    ['a picture that is an archive too', Buffer.concat([JPEG, ZIP_END, Buffer.from('\xff\xd9', 'latin1')])],
    [
      'a picture that is a page of the web too',
      Buffer.concat([PNG_HEAD, Buffer.from('<html><script>'), PNG_END]),
    ],
    [
      'a picture that is a program of a server too',
      Buffer.concat([JPEG, Buffer.from('<?php 1 ?>\xff\xd9', 'latin1')]),
    ],
    ['a program that is a PDF too', Buffer.concat([Buffer.from('MZ'), pdfOf(text)])],
    ['a picture cut short', Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1')],
  ])('is refused: %s', async (_what, bytes) => {
    const testbed = await openTestbed();
    const { id } = await testbed.open();
    const { status, json } = await testbed.upload(id, 'telephone_bill', bytes);
    expect([status, json.error.code, json.error.param]).toEqual([415, 'unsupported_media_type', 'file']);
    expect(await testbed.blobs.list('compliance', id)).toEqual([]);
    expect((await testbed.read(id)).version).toBe(1);
  });
});

describe('a file that would do harm', () => {
  it.each([
    [
      'active_content',
      'runs a script when it opens',
      pdfOf(text, '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'),
    ],
    ['too_large', 'has more pages than anybody reads', pdfOf(Array.from({ length: 13 }, () => text[0]!))],
    ['unreadable', 'is no PDF after its first line', Buffer.from('%PDF-1.7\nno more\n%%EOF\n')],
    ['ocr_unavailable', 'has no text', pdfOf([[]])],
  ])(
    'fails with %s and its reason where it %s',
    async (reason, _what, bytes) => {
      const testbed = await openTestbed();
      const { id } = await testbed.open();
      expect((await testbed.upload(id, 'telephone_bill', bytes)).status).toBe(201);
      const read = await testbed.settled(id);
      const [extraction] = read.extractions;
      expect(extraction.status).toBe('failed');
      if (reason === 'ocr_unavailable') expect(['no_text', reason]).toContain(extraction.failure_reason);
      else expect(extraction.failure_reason).toBe(reason);
      expect(read.state).toBe('needs_review');
      const said = read.missing.find(({ code }: Json) => code === extraction.failure_reason);
      expect(said.message).toMatch(/^Telephone bill: \w+/);
      await testbed.upload(id, 'telephone_bill', bill());
      expect((await testbed.settled(id)).extractions.at(-1).status).toBe('succeeded');
    },
    60_000,
  );

  it('has a name that is only a name', async () => {
    const testbed = await openTestbed();
    const { id } = await testbed.open();
    const name = '../../../etc/passwd <b>jane@example.com</b> '.repeat(9);
    const { json } = await testbed.upload(id, 'telephone_bill', bill(), { name });
    expect(json.uploads[0].file_name).not.toContain('jane@');
    expect(json.uploads[0].object_ref).toBe(`compliance/${id}/${json.uploads[0].id}`);
  });
});

describe('an upload', () => {
  it.each([
    ['for nothing that is asked', 'passport', 400, 'invalid_request'],
    ['by an old version', 'telephone_bill', 409, 'version_conflict'],
  ])('%s leaves no bytes behind', async (_what, request, status, code) => {
    const testbed = await openTestbed();
    const { id } = await testbed.open();
    const headers: Record<string, string> = status === 409 ? { 'if-match': '"7"' } : {};
    const answer = await testbed.upload(id, request, bill(), { headers });
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(await testbed.blobs.list('compliance', id)).toEqual([]);
  });

  it('to a case that is closed, or that nobody has, leaves no bytes behind', async () => {
    const testbed = await openTestbed();
    const { id } = await testbed.open();
    await testbed.send('POST', `/${id}/cancel`, {});
    expect((await testbed.upload(id, 'telephone_bill', bill())).json.error.code).toBe('case_closed');
    expect(await testbed.blobs.list('compliance', id)).toEqual([]);
    const unknown = 'ncc_00000000000000000000';
    expect((await testbed.upload(unknown, 'telephone_bill', bill())).status).toBe(404);
    expect(await testbed.blobs.list('compliance', unknown)).toEqual([]);
  });
});
