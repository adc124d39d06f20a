// Everything in one bundle, as for a server without node_modules.
export default { ssr: { noExternal: true }, build: { ssr: true, minify: true } };
