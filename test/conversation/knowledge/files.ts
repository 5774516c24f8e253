import { crc32, deflateRawSync } from 'node:zlib';

export function zip(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.of(20, 0), head, rest, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

export function docx(paragraphs: readonly string[], document?: string): Buffer {
  const said = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
  return zip({
    '[Content_Types].xml': Buffer.from(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    ),
    '_rels/.rels': Buffer.from(
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    'word/document.xml': Buffer.from(
      document ?? `<w:document xmlns:w="${WORD}"><w:body>${said}</w:body></w:document>`,
    ),
  });
}

export const PICTURE = '<picture>';
const BLACK = { width: 8, height: 8, grey: Buffer.alloc(64) };

export function pdf(pages: readonly string[], encrypted = false, picture = BLACK): Buffer {
  const objects: string[] = [];
  const first = 5;
  const kids = pages.map((_, at) => `${first + 2 * at} 0 R`).join(' ');
  objects.push('<< /Type /Catalog /Pages 2 0 R >>');
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const { width, height, grey } = picture;
  objects.push(
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Length ${grey.length} >>\nstream\n${grey.toString('latin1')}\nendstream`,
  );
  for (const [at, text] of pages.entries()) {
    const drawn = text === PICTURE ? 'q 612 0 0 792 0 0 cm /P1 Do Q' : '';
    const stream = text === '' || text === PICTURE ? drawn : `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /XObject << /P1 4 0 R >> >> /Contents ${first + 2 * at + 1} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  const lock = encrypted
    ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) /P -4 >> /ID [(a) (a)]`
    : '';
  let body = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  return Buffer.from(
    `${body}xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R${lock} >>\nstartxref\n${body.length}\n%%EOF`,
    'latin1',
  );
}
