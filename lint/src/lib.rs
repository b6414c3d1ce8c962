//! The command line of applyorder.
