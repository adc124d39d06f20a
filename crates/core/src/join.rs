//! Futures side by side: natively those of a library, which wakes one of many by itself; on WebAssembly a loop over all, for a
//! tenth of the code. A call waits for a handful at once.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use futures_util::future::join_all;

#[cfg(target_arch = "wasm32")]
pub(crate) use plain::join_all;

#[cfg(any(target_arch = "wasm32", test))]
mod plain {
    use std::future::{Future, poll_fn};
    use std::pin::Pin;
    use std::task::Poll;

    enum Joined<F: Future> {
        Waiting(Pin<Box<F>>),
        Done(Option<F::Output>),
    }

    /// The results of all futures, in their order.
    pub(crate) async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output>
    where
        F::Output: Unpin,
    {
        let mut all: Vec<Joined<F>> =
            futures.into_iter().map(|each| Joined::Waiting(Box::pin(each))).collect();
        poll_fn(move |context| {
            let mut is_waiting = false;
            for each in &mut all {
                let Joined::Waiting(future) = each else { continue };
                match future.as_mut().poll(context) {
                    Poll::Ready(result) => *each = Joined::Done(Some(result)),
                    Poll::Pending => is_waiting = true,
                }
            }
            if is_waiting {
                return Poll::Pending;
            }
            let result = |each: &mut Joined<F>| match each {
                Joined::Done(result) => result.take(),
                Joined::Waiting(_) => None,
            };
            Poll::Ready(all.iter_mut().filter_map(result).collect())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    #[test]
    fn results_come_in_the_order_of_the_futures() {
        let after = |mut polls: u32| {
            let waited = polls;
            poll_fn(move |context| {
                if polls == 0 {
                    return Poll::Ready(waited);
                }
                polls -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            })
        };
        let all = pollster::block_on(super::plain::join_all([3, 0, 2].map(after)));
        assert_eq!(all, [3, 0, 2]);
        assert!(pollster::block_on(super::plain::join_all::<std::future::Ready<()>>([])).is_empty());
    }
}
