//! All tests of this folder in one program: linking each by itself takes longer than running it. A new file is named here.

mod calls;
mod capacity;
mod concurrency;
mod deploy;
mod effects;
mod elsewhere;
mod language;
mod measure;
mod mutants;
mod raced;
mod races;
mod recording;
mod seeding;
mod signatures;
mod systems;
mod tasks;
mod workers;
