#!/usr/bin/env node
/**
 * Writes a container image to dist/image as an OCI archive, on Debian and without a container engine:
 *
 *   node scripts/release/image.mjs [--out FOLDER] [--version VERSION] [--full] [--gpu]
 *
 * --full  the models too, for machines without a network: the image's version then ends with -full
 * --gpu   the models, and the libraries and the forms of models for an NVIDIA GPU: the version then ends with -gpu
 */
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { layOutGpu, layOutModels, MODELS } from '../debian/contents.mjs';
import { ensureGpuForms } from '../models/fetch.mjs';
import { defaultRoot, packagesFolder, readManifest, selectModels } from '../models/layout.mjs';
import { runMain } from '../setup/failure.mjs';
import { root, setUp } from '../setup.mjs';
import { APP, layOutBase, layOutProduct, USER, writeDocument } from './image-root.mjs';
import { packModel } from './model-packages.mjs';
import { archiveLayout, ImageLayout, imageArchitecture } from './oci.mjs';
import { ownVersion, PACKED } from './pack.mjs';
import { bill, PROVENANCE, provenance, SBOM } from './papers.mjs';

const WORK = join(root, 'build-release');
const HEALTH = `fetch('http://127.0.0.1:'+(process.env.TRUNKLINE_PORT||8080)+'/healthz').then((a)=>process.exit(a.ok?0:1),()=>process.exit(1))`;
const SECOND = 1e9;
/** File dates are the same in each build; this date is the time of the build, unless the environment sets it. */
const created = () => {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return `${new Date(epoch ? Number(epoch) * 1000 : Date.now()).toISOString().slice(0, 19)}Z`;
};

/** `gpu`: the options of layOutGpu. */
export async function buildImage({ out, version, gpu, full = gpu !== undefined, prebuilt = [], log }) {
  const tree = join(WORK, 'image');
  rmSync(tree, { recursive: true, force: true });
  const layers = ['base', 'product', 'models', 'libraries'].map((name) => join(tree, name));
  const [base, product, models, libraries] = layers;
  for (const folder of layers) mkdirSync(folder, { recursive: true });
  log('image: laying out the root');
  const debian = await layOutBase(base, { work: WORK });
  const { bundled } = await layOutProduct(product, { project: root, work: WORK, version, prebuilt, log });
  const inside = [...(full ? selectModels(readManifest()) : []), ...(gpu?.models ?? [])];
  const when = created();
  const sbom = bill({ project: root, version, debian, bundled, models: inside, created: when });
  writeDocument(product, SBOM, sbom);
  const materials = debian.map(({ name, version: of }) => ({ uri: `pkg:deb/debian/${name}@${of}` }));
  const statement = (subject) => provenance({ project: root, version, subject, materials, created: when });
  writeDocument(product, PROVENANCE, await statement([{ name: 'trunkline', digest: {} }]));
  for (const name of ['LICENSE', 'NOTICES']) {
    mkdirSync(join(product, 'usr/share/doc/trunkline'), { recursive: true });
    copyFileSync(join(root, name), join(product, 'usr/share/doc/trunkline', name));
  }
  if (full)
    layOutModels(root, models, { models: selectModels(readManifest()), cache: defaultRoot(), version });
  if (gpu) await layOutGpu(root, libraries, { cache: defaultRoot(), version, log, ...gpu });
  const tag = `${version}${gpu ? '-gpu' : full ? '-full' : ''}`;
  const layout = new ImageLayout(join(tree, 'layout'));
  log('image: packing its layers');
  await layout.addLayer(base, { user: USER, owned: ['data', 'models', 'tmp'], comment: 'Debian and Node' });
  await layout.addLayer(product, { user: USER, comment: 'Trunkline' });
  if (full) await layout.addLayer(models, { user: USER, level: 1, comment: 'models' });
  if (gpu) await layout.addLayer(libraries, { user: USER, level: 1, comment: 'for a GPU' });
  const labels = {
    'org.opencontainers.image.title': 'trunkline',
    'org.opencontainers.image.version': tag,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.created': when,
  };
  const digest = layout.finish({
    config: configOf({ full, gpu, labels }),
    created: when,
    name: `trunkline:${tag}`,
    annotations: labels,
  });
  mkdirSync(out, { recursive: true });
  const name = `trunkline-${tag}-linux-${imageArchitecture()}`;
  const file = join(out, `${name}.oci.tar`);
  await archiveLayout(layout.folder, file);
  writeDocument(out, `${name}.spdx.json`, sbom);
  const subject = [{ name: `trunkline:${tag}`, digest: { sha256: digest.slice('sha256:'.length) } }];
  writeDocument(out, `${name}.provenance.json`, await statement(subject));
  const mb = (bytes) => Math.round(bytes / 1e6);
  log(`image: ${mb(layout.uncompressedBytes)} MB, ${mb(statSync(file).size)} MB compressed, ${digest}`);
  rmSync(tree, { recursive: true, force: true });
  return { file, digest, bytes: layout.uncompressedBytes };
}

const configOf = ({ full, gpu, labels }) => ({
  User: `${USER}:${USER}`,
  Env: [
    'PATH=/usr/local/bin:/usr/bin',
    'HOME=/tmp',
    'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
    'TRUNKLINE_HOST=0.0.0.0',
    'TRUNKLINE_DATA=/data',
    `TRUNKLINE_MODELS=${full ? `/${MODELS}` : '/models'}`,
    // The container runtime of NVIDIA reads these, and mounts the driver.
    ...(gpu ? ['NVIDIA_VISIBLE_DEVICES=all', 'NVIDIA_DRIVER_CAPABILITIES=compute,utility'] : []),
  ],
  Entrypoint: ['/usr/local/bin/node', `/${APP}/bin/trunkline.mjs`],
  Cmd: ['serve'],
  WorkingDir: '/data',
  ExposedPorts: { '8080/tcp': {} },
  Volumes: { '/data': {}, ...(full ? {} : { '/models': {} }) },
  StopSignal: 'SIGTERM',
  Labels: labels,
  // Docker and podman use it; Kubernetes has probes of its own.
  Healthcheck: {
    Test: ['CMD', '/usr/local/bin/node', '-e', HEALTH],
    Interval: 10 * SECOND,
    Timeout: 5 * SECOND,
    StartPeriod: 300 * SECOND,
    Retries: 3,
  },
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    const { values } = parseArgs({
      options: {
        out: { type: 'string', default: join(root, 'dist/image') },
        version: { type: 'string', default: ownVersion() },
        full: { type: 'boolean', default: false },
        gpu: { type: 'boolean', default: false },
      },
    });
    await setUp();
    const log = (line) => console.log(line);
    const models = selectModels(readManifest());
    const prebuilt = [];
    for (const model of models)
      prebuilt.push(await packModel(model, { root, cache: defaultRoot(), out: PACKED, work: WORK, log }));
    const gpu = values.gpu
      ? { models: await ensureGpuForms({ root: defaultRoot(), log }), from: packagesFolder() }
      : undefined;
    const { file } = await buildImage({
      out: resolve(values.out),
      version: values.version,
      full: values.full || values.gpu,
      gpu,
      prebuilt,
      log,
    });
    console.log(file);
  });
}
