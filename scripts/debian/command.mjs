import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';

const PACKAGE = { 'dpkg-shlibdeps': 'dpkg-dev', 'dpkg-deb': 'dpkg', dpkg: 'dpkg' };

export async function command(program, args, options) {
  const { code, missing, stdout, stderr } = await run(program, args, options);
  if (missing)
    throw new Failure(
      `${program} is missing: packages are built on Debian`,
      `apt-get install -y ${PACKAGE[program]}`,
    );
  if (code !== 0) throw new Failure(`${program} failed:\n${tail(`${stdout}\n${stderr}`, 20)}`);
  return stdout;
}
