// Imported first by every script. Old syntax only: an old Node must get as far as printing this sentence.
var wanted = [20, 19];
var found = process.versions.node.split('.').map(Number);
if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  console.error(
    'Toolquake needs Node ' +
      wanted.join('.') +
      ' or later, and this is Node ' +
      process.versions.node +
      '.\n' +
      'Switch (for example "nvm install 24"), then run "npm ci" again.',
  );
  process.exit(3);
}
