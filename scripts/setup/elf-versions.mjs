/** Reads and lowers the C library version that a Linux program file (ELF, 64 bit, little-endian) requires. */
const NEW_NAME = /^__isoc23_(strtol|strtoul|strtoull|sscanf)$/;
const PREFIX = '__isoc23_'.length;
const TOO_NEW = 'GLIBC_2.38';
const OLDEST = { x64: 'GLIBC_2.2.5', arm64: 'GLIBC_2.17' };
const WEAK = 2;
const SECTION = { symbols: 11, needs: 0x6ffffffe, versions: 0x6fffffff };

export const isNewer = (version, than) => {
  const [major, minor] = version.split('.').map(Number);
  const [otherMajor, otherMinor] = than.split('.').map(Number);
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
};

export function demanded(elf) {
  const versions = demandsOf(elf).filter(({ name, flags }) => name.startsWith('GLIBC_2.') && !(flags & WEAK));
  return versions
    .map(({ name }) => name.slice('GLIBC_'.length))
    .reduce((most, one) => (isNewer(one, most) ? one : most), '2.0');
}

/**
 * Redirects functions that new compilers call by new names (`__isoc23_strtol`, which also reads "0b1") to their old
 * names: a new name ends with the old one, so the reference moves nine letters on, and the requirement of 2.38 may
 * stay unmet. It changes the given bytes, and returns false when the file needs more of 2.38 than these names.
 */
export function turnToOldNames(elf, arch) {
  const tooNew = demandsOf(elf).find(({ name }) => name === TOO_NEW);
  const oldest = demandsOf(elf).find(({ name }) => name === OLDEST[arch]);
  if (!tooNew || !oldest) return false;
  const { symbols, versions } = sectionsOf(elf);
  const using = [];
  for (let i = 0; i * 2 < versions.size; i++) {
    if (elf.readUInt16LE(versions.offset + i * 2) === tooNew.index) using.push(i);
  }
  const nameAt = (i) => symbols.offset + i * 24;
  const name = (i) => textAt(elf, symbols.strings.offset + elf.readUInt32LE(nameAt(i)));
  if (!using.every((i) => NEW_NAME.test(name(i)))) return false;
  for (const i of using) {
    elf.writeUInt32LE(elf.readUInt32LE(nameAt(i)) + PREFIX, nameAt(i));
    elf.writeUInt16LE(oldest.index, versions.offset + i * 2);
  }
  elf.writeUInt16LE(tooNew.flags | WEAK, tooNew.at + 4);
  return true;
}

function sectionsOf(elf) {
  if (elf.readUInt32BE(0) !== 0x7f454c46 || elf[4] !== 2 || elf[5] !== 1)
    throw new Error('not a 64-bit little-endian ELF file');
  const table = Number(elf.readBigUInt64LE(0x28));
  const size = elf.readUInt16LE(0x3a);
  const all = Array.from({ length: elf.readUInt16LE(0x3c) }, (_, i) => {
    const at = table + i * size;
    return {
      type: elf.readUInt32LE(at + 4),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      size: Number(elf.readBigUInt64LE(at + 32)),
      link: elf.readUInt32LE(at + 40),
    };
  });
  const of = (type) => {
    const found = all.find((section) => section.type === type);
    if (!found) throw new Error('not a file that is linked at run time');
    return { ...found, strings: all[found.link] };
  };
  return { symbols: of(SECTION.symbols), versions: of(SECTION.versions), needs: of(SECTION.needs) };
}

function demandsOf(elf) {
  const { needs } = sectionsOf(elf);
  const found = [];
  for (let library = needs.offset, last = false; !last; ) {
    let at = library + elf.readUInt32LE(library + 8);
    for (let left = elf.readUInt16LE(library + 2); left > 0; left--) {
      found.push({
        at,
        flags: elf.readUInt16LE(at + 4),
        index: elf.readUInt16LE(at + 6),
        name: textAt(elf, needs.strings.offset + elf.readUInt32LE(at + 8)),
      });
      at += elf.readUInt32LE(at + 12);
    }
    const next = elf.readUInt32LE(library + 12);
    library += next;
    last = next === 0;
  }
  return found;
}

const textAt = (elf, offset) => elf.toString('latin1', offset, elf.indexOf(0, offset));
