import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimePackages } from '../debian/packages.mjs';
import { run } from '../setup/run.mjs';
import { IN_ENGINE } from './main-package.mjs';

export const SBOM = 'usr/share/trunkline/sbom.spdx.json';
export const PROVENANCE = 'usr/share/trunkline/provenance.json';

export function bill({ project, version, debian, bundled, models, created }) {
  const { packages: locked } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const parts = [
    part('trunkline', version, 'Apache-2.0', `pkg:npm/trunkline@${version}`),
    part('node', process.versions.node, 'MIT', `pkg:generic/node@${process.versions.node}`),
  ];
  const direct = IN_ENGINE.map((name) => `node_modules/${name}`);
  for (const path of [...runtimePackages(project, { without: IN_ENGINE }), ...direct]) {
    const entry = locked[path];
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    parts.push(part(name, entry.version, entry.license, npmUrl(name, entry.version), entry.integrity));
  }
  const libraries = bundled.map(({ package: name, version: of, source }) => ({ name, version: of, source }));
  for (const { name, version: of, source } of [...debian, ...libraries]) {
    const locator = `pkg:deb/debian/${name}@${encodeURIComponent(of)}?upstream=${source}`;
    parts.push(part(name, of, undefined, locator));
  }
  for (const model of models)
    parts.push(
      part(`model-${model.id}`, model.version, model.licence, `pkg:generic/${model.id}@${model.version}`),
    );
  const unique = [...new Map(parts.map((one) => [one.SPDXID, one])).values()];
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `trunkline-${version}`,
    documentNamespace: `https://trunkline.invalid/spdx/${version}-${digest(JSON.stringify(unique)).slice(0, 16)}`,
    creationInfo: { created, creators: [`Tool: trunkline-release-${version}`] },
    packages: unique,
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: parts[0].SPDXID,
      },
      ...unique.slice(1).map(({ SPDXID }) => ({
        spdxElementId: parts[0].SPDXID,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: SPDXID,
      })),
    ],
  };
}

function part(name, version, licence, locator, integrity) {
  return {
    SPDXID: `SPDXRef-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]+/g, '-')}`,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: spdxLicence(licence),
    copyrightText: 'NOASSERTION',
    ...(integrity?.startsWith('sha512-')
      ? {
          checksums: [
            { algorithm: 'SHA512', checksumValue: Buffer.from(integrity.slice(7), 'base64').toString('hex') },
          ],
        }
      : {}),
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: locator },
    ],
  };
}

const spdxLicence = (licence) =>
  licence && /^[A-Za-z0-9.+()\s-]+$/.test(licence) && !/^SEE /.test(licence) ? licence : 'NOASSERTION';
const npmUrl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const digest = (text) => createHash('sha256').update(text).digest('hex');

/** The in-toto statement is unsigned: the publisher signs it with their own key. */
export async function provenance({ project, version, subject, materials, created }) {
  const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: project })).stdout.trim();
  const changed = (
    await run('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: project })
  ).stdout.trim();
  const file = (path) => ({ uri: path, digest: { sha256: digest(readFileSync(join(project, path))) } });
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://trunkline.invalid/build/image/v1',
        externalParameters: { version },
        internalParameters: { node: process.version, arch: process.arch, changed_files: changed !== '' },
        resolvedDependencies: [
          { uri: 'git+trunkline', digest: { gitCommit: commit } },
          ...['package-lock.json', 'models/manifest.json'].map(file),
          ...materials,
        ],
      },
      runDetails: {
        builder: { id: 'https://trunkline.invalid/scripts/release/image.mjs' },
        metadata: { startedOn: created },
      },
    },
  };
}
