/** @type {import('next').NextConfig} */
export default {
  // The folder that holds this app's packages.
  turbopack: { root: import.meta.dirname.replace(/\/\.build\/.*/, '') },
  // The App Router has the root of 127.0.0.1, the Pages Router that of localhost.
  rewrites: () => ({
    beforeFiles: [
      {
        source: '/:path*',
        has: [{ type: 'host', value: 'localhost' }],
        destination: '/api/:path*',
      },
    ],
  }),
}
